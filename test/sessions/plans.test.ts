import { testPlans } from "./plan-suite.ts";

testPlans({ branches: 100, path: 1_000, beside: 5_000 });

import { testPlans } from "../sessions/plan-suite.ts";

testPlans({ branches: 1_000, path: 10_000, beside: 200_000 });

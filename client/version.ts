/** The version of this package, sent with every request; a test holds it to package.json. */
export const VERSION = "0.1.0";

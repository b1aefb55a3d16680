/**
 * The two functions of jose that checking a signature takes, to be loaded together when they are
 * needed: importing the package itself in the middle of a tick would put all of it into the bundle.
 */

export { compactVerify, importSPKI } from "jose";

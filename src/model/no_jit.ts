/**
 * Tells zod not to compile schemas with `new Function`: a process that checks each shape once pays
 * for the compiler and never gains, and code made from text has no place in this one.
 */

import * as z from "zod/mini";

z.config({ jitless: true });

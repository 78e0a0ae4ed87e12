import { strictObject, z } from 'zod'

export const InstalledPhp = strictObject({
  version: z.string().max(16),
  extensions: z
    .array(z.string().max(40))
    .max(200)
    .describe('Loaded by PHP-FPM, without those that are compiled in.'),
}).meta({ id: 'InstalledPhp', description: 'A PHP version of a server, with its extensions.' })
export type InstalledPhp = z.infer<typeof InstalledPhp>

/** The answer of an agent. */
export const PhpReport = z.object({ php: z.array(InstalledPhp).max(20) })

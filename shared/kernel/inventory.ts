import { object, z } from 'zod'
import { UNKNOWN_UPDATES } from './values.ts'

export const Updates = object({
  plugins: z.number().int().nonnegative().nullable(),
  themes: z.number().int().nonnegative().nullable(),
  core: z.boolean().nullable(),
}).meta({ id: 'Updates', description: 'Pending updates; null: unknown.' })
export type Updates = z.infer<typeof Updates>

/** Present when a number of updates is null. */
export const UnknownUpdates = z.enum(UNKNOWN_UPDATES).describe('Why updates are unknown.')
export type UnknownUpdates = z.infer<typeof UnknownUpdates>

export const Extension = object({
  slug: z.string().max(255).describe('Its folder or file.'),
  name: z.string().max(1024),
  version: z.string().max(255),
  active: z.boolean().nullable().describe('Null while unknown.'),
  update: z.string().max(255).nullable().describe('The version that WordPress offers.'),
}).meta({ id: 'Extension', description: 'A plugin or a theme.' })
export type Extension = z.infer<typeof Extension>

export const Inventory = object({
  wp_version: z.string().max(255),
  plugins: z.array(Extension).max(10_000),
  themes: z.array(Extension).max(10_000),
  core_update: z.string().max(255).nullable().describe('The available version; null: none known.'),
  updates: Updates,
  unknown_because: UnknownUpdates.optional(),
}).meta({ id: 'Inventory', description: 'Version, plugins and themes of a WordPress.' })
export type Inventory = z.infer<typeof Inventory>

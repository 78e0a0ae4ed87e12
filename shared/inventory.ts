import { z } from 'zod'

/** Pending updates; null is unknown (WordPress could not ask), which is not zero. */
export const Updates = z.object({
  plugins: z.number().int().nonnegative().nullable(),
  themes: z.number().int().nonnegative().nullable(),
  core: z.boolean().nullable(),
})
export type Updates = z.infer<typeof Updates>

/** A plugin (`slug` is its folder or file) or a theme; `update` is the version that WordPress offers. */
export const Extension = z.object({
  slug: z.string().max(255),
  name: z.string().max(1024),
  version: z.string().max(255),
  active: z.boolean().nullable(),
  update: z.string().max(255).nullable(),
})
export type Extension = z.infer<typeof Extension>

/** What a WordPress installation is made of. `core_update` is the version offered, null when none is known. */
export const Inventory = z.object({
  wp_version: z.string().max(255),
  plugins: z.array(Extension).max(10_000),
  themes: z.array(Extension).max(10_000),
  core_update: z.string().max(255).nullable(),
  updates: Updates,
})
export type Inventory = z.infer<typeof Inventory>

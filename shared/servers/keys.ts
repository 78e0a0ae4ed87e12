import { z } from 'zod'

/** The keys of a dashboard: the new one beside the old one during a rotation. */
const kid = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Must be a key id')
const epoch = z.number().int().nonnegative()

/** A key; `until` is in seconds since 1970, and null until another key replaces it. */
const Key = z.strictObject({
  kid,
  public_key: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'Must be a key in base64url'),
  until: z.number().int().nonnegative().nullable(),
})

/** All keys that are valid from now on. The epoch must be higher than the previous one. */
export const KeyList = z.strictObject({
  epoch,
  keys: z
    .array(Key)
    .min(1, 'Must name a key')
    .max(4, 'Must name at most 4 keys')
    .refine((keys) => new Set(keys.map((key) => key.kid)).size === keys.length, {
      error: 'Must not name a key twice',
    }),
})
export type KeyList = z.infer<typeof KeyList>

/** The ids of the keys that an agent accepts now. */
export const KnownKeys = z.object({ epoch, keys: z.array(kid).max(4) })
export type KnownKeys = z.infer<typeof KnownKeys>

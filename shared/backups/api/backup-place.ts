import { z } from 'zod'
import { PublicKey } from '#shared/backups/backup.ts'

export const KeeperKey = PublicKey.describe(
  'The public key of the keeper, which deletes old backups beside the storage: RSA, at least 3072 bits.',
)

const text = z.string()
/** As it is recorded. */
export const PlaceView = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('rest'), url: text, user: text, ca: text }),
  z.strictObject({
    kind: z.literal('s3'),
    url: text,
    bucket: text,
    prefix: text,
    region: text,
    user: text,
    ca: text,
  }),
  z.strictObject({
    kind: z.literal('sftp'),
    host: text,
    port: z.int(),
    user: text,
    path: text,
    host_key: text,
  }),
  z.strictObject({ kind: z.literal('local'), path: text }),
])
export type PlaceView = z.infer<typeof PlaceView>

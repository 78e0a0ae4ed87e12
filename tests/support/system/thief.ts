import { getKit } from '#dashboard/features/backups/kit.queries.ts'
import { openWith } from '#dashboard/features/backups/kit.ts'
import { openTarget } from '#dashboard/features/backups/targets.ts'
import { openDatabase } from '#dashboard/kernel/db/client.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'
import type { Host } from '#tests/support/lab/index.ts'

const FOLDER = '/root/stolen'

/** All that a dashboard knows of the only repository in its records, from the files in DATA_DIR alone. */
export async function stolenFrom(data_dir: string) {
  const secret = (await Bun.file(`${data_dir}/seal-secret`).text()).trim()
  const sealer = makeSealer(secret, secureRandom)
  const db = await openDatabase(`file:${data_dir}/dashboard.db`)
  try {
    const [repository] = await db.read.query.backup_repositories.findMany()
    const [target] = await db.read.query.backup_targets.findMany()
    if (!repository?.sealed_password || !target) throw new Error('the dashboard has no repository')
    const kit = await getKit(db, repository.kit_id)
    const { place, secret: opened } = openTarget(target, sealer)
    return {
      ...{ place, secret: opened, repository: repository.name },
      password: openWith(kit, sealer, repository.sealed_password).reveal(),
    }
  } finally {
    db.close()
  }
}

type Stolen = Awaited<ReturnType<typeof stolenFrom>>

/** Runs restic with them on a machine of the thief; throws its message if it fails. */
export async function resticOf(
  host: Host,
  stolen: Stolen,
  args: readonly string[],
): Promise<string> {
  const { place, secret, password } = stolen
  if (place.kind !== 'rest' && place.kind !== 's3') throw new Error(`not for ${place.kind}`)
  await host.put(`${FOLDER}/address`, `${addressOf(stolen)}\n`, 0o600)
  await host.put(`${FOLDER}/aws`, awsOf(place.user, secret), 0o600)
  await host.put(`${FOLDER}/password`, password, 0o600)
  await host.put(`${FOLDER}/ca.pem`, place.ca)
  const argv = [
    ...['/root/restic/usr/bin/restic', '--repository-file', `${FOLDER}/address`],
    ...['--password-file', `${FOLDER}/password`, '--cacert', `${FOLDER}/ca.pem`],
    ...['--retry-lock=1s', ...args],
  ]
  return host.must(argv, { env: { AWS_SHARED_CREDENTIALS_FILE: `${FOLDER}/aws` } })
}

function addressOf({ place, secret, repository }: Stolen): string {
  if (place.kind === 's3') return `s3:${place.url}/${place.bucket}/${place.prefix}/${repository}`
  if (place.kind !== 'rest') throw new Error(`not for ${place.kind}`)
  return `rest:${place.url.replace('://', `://${place.user}:${secret}@`)}${repository}/`
}

const awsOf = (user: string, secret: string) =>
  `[default]\naws_access_key_id=${user}\naws_secret_access_key=${secret}\n`

import { verify } from 'node:crypto'
import type { Host } from '#agent/kernel/host/ports.ts'
import { publicKeyOf } from '#agent/kernel/host/public-keys.ts'
import { conflict, forbidden } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { isOlder, ReleaseKey, ReleaseManifest, releaseText } from '#shared/kernel/release.ts'
import { buildOf } from './build.ts'

const UNTRUSTED =
  'The build is not signed by a key that this server trusts: as root on the server, add the public release key of this dashboard to /etc/hosting-agent/release-keys'

/** The file of further keys whose builds this server accepts, one per line; # begins a comment. */
const RELEASE_KEYS = '/etc/hosting-agent/release-keys'
const MAX_KEYS = 16

interface SignedRelease {
  sha256: string
  manifest?: string | undefined
  signature?: string | undefined
}

/**
 * Throws forbidden unless a trusted key has signed the executable for this machine, and conflict
 * for an older one than the running: a dashboard alone can override neither.
 */
export async function checkRelease(host: Host, release: SignedRelease): Promise<ReleaseManifest> {
  const { manifest, signature } = release
  if (manifest === undefined || signature === undefined) {
    throw forbidden('The build is not signed: sign it with scripts/sign-build.ts')
  }
  const text = Buffer.from(releaseText(manifest))
  const bytes = Buffer.from(signature, 'base64url')
  const keys = await releaseKeys(host)
  if (!keys.some((key) => verify(null, text, key, bytes))) {
    throw forbidden(UNTRUSTED)
  }
  const signed = parseJson(ReleaseManifest, manifest)
  if (!signed) throw forbidden('The signed manifest is not one of this agent')
  if (signed.sha256 !== release.sha256) {
    throw forbidden('The signature is that of another build')
  }
  await refuseUnfit(host, signed)
  return signed
}

async function refuseUnfit(host: Host, signed: ReleaseManifest): Promise<void> {
  const { machine } = await buildOf(host)
  if (signed.machine !== machine) {
    throw conflict(`The build is for ${signed.machine}, and this server is ${machine}`)
  }
  if (!isOlder(signed, host.settings)) return
  const [found, running] = [signed, host.settings].map((one) => `${one.version} (${one.build})`)
  throw conflict(`The build is older than the agent: ${found}, and ${running} runs`)
}

/** Throws forbidden if the file of further keys is invalid: it must never mean "any key". */
async function releaseKeys({ files, settings }: Host) {
  const own = settings.publisher_key === undefined ? [] : [settings.publisher_key]
  const found = [...own, ...(await furtherKeys(files))].map(publicKeyOf)
  return found.filter((key) => key !== undefined)
}

async function furtherKeys(files: Host['files']): Promise<string[]> {
  const found = await files.stat(RELEASE_KEYS)
  if (!found) return []
  const doubtful = (reason: string) =>
    forbidden(
      `${RELEASE_KEYS} on this server ${reason}: no build is accepted until root corrects it`,
    )
  if (found.kind !== 'file') throw doubtful('is not a regular file')
  if (found.uid !== 0) throw doubtful('does not belong to root')
  if ((found.mode & 0o022) !== 0) throw doubtful('can be written by others than root')
  const lines = ((await files.read(RELEASE_KEYS)) ?? '').split('\n').map((line) => line.trim())
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'))
  if (keys.length > MAX_KEYS) throw doubtful(`has more than ${MAX_KEYS} keys`)
  if (keys.some((key) => !ReleaseKey.safeParse(key).success)) {
    throw doubtful('has a line that is not a key in base64url')
  }
  return keys
}

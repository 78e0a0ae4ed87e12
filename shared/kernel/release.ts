import { z } from 'zod'

/** The manifest that the publisher of the agent signs: the executable, its machine and its version. */
export const ReleaseManifest = z.strictObject({
  product: z.literal('hosting-agent'),
  version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/),
  /** The number of the build, compared only between builds of one version. */
  build: z.number().int().nonnegative(),
  /** The name of the build's machine at the dashboard, such as `linux-x64`. */
  machine: z.string().max(64),
  /** The SHA-256 digest of the executable, in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
export type ReleaseManifest = z.infer<typeof ReleaseManifest>

/** Returns the text that is signed with Ed25519: the manifest byte for byte after its purpose. */
export const releaseText = (manifest: string) => `hosting-agent-release/1\n${manifest}`

/** A public key of Ed25519 (32 bytes) and a signature (64 bytes), in base64url. */
export const ReleaseKey = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'Must be a key in base64url')
export const ReleaseSignature = z.string().regex(/^[A-Za-z0-9_-]{86}$/, 'Must be a signature')

type BuildVersion = Pick<ReleaseManifest, 'version' | 'build'>

/** Returns whether one is older than the other: by its version, then by its build. */
export function isOlder(one: BuildVersion, other: BuildVersion): boolean {
  const left = [...one.version.split('.').map(Number), one.build]
  const right = [...other.version.split('.').map(Number), other.build]
  const at = left.findIndex((number, index) => number !== right[index])
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0)
}

const POOL = 'pool/main/r/restic/restic_0.19.1-1'
/** The sources of the package: the pool has the present one, the snapshots all. */
const ARCHIVES = [
  'http://deb.debian.org/debian',
  'http://snapshot.debian.org/archive/debian/20261101T000000Z',
]

const sourceOf = (architecture: string, sha256: string) => ({
  urls: ARCHIVES.map((archive) => `${archive}/${POOL}_${architecture}.deb`),
  sha256,
})

/** Debian's build of restic 0.19.1, for libc 2.34 and so Debian 12 and later. */
export const RESTIC = {
  x64: sourceOf('amd64', '97711c3125b5a65788a7e99fce8eb25f9a543fa8d83c4d7e54a5febe939a0f9e'),
  arm64: sourceOf('arm64', '37f474371bf411d7b14dbc5d607d93beda117af94a7192a6bcecc7f81e3f8ff5'),
}

import type { Host } from '#agent/kernel/host/ports.ts'
import { pinnedSteps } from '#agent/kernel/packages/pinned.ts'
import type { Step } from '#agent/kernel/steps/command.ts'

const PACKAGED = './usr/bin/restic'

export const resticPath = ({ settings }: Host): string => `${settings.state_dir}/bin/restic`

/** The step that installs the restic pinned by the settings; none if it is installed. */
export function resticSteps(host: Host): Promise<Step[]> {
  const { restic_urls: urls, restic_sha256: digest } = host.settings
  const packaged = urls.every((url) => url.endsWith('.deb'))
  return pinnedSteps(host, {
    name: 'restic',
    path: resticPath(host),
    mode: '0755',
    urls,
    kind: 'sha256',
    digest,
    copy: packaged ? 'restic.deb' : 'restic',
    ...(packaged && { unpack: (draft) => unpack(host, draft) }),
    proof: ['version'],
  })
}

/** Takes the program out of a Debian package, without its maintainer scripts. */
async function unpack({ files, shell }: Host, draft: string): Promise<void> {
  const archive = `${draft}.tar`
  await files.remove(archive)
  try {
    await shell.run(['dpkg-deb', '--fsys-tarfile', draft], { output_file: archive })
    await files.remove(draft)
    const argv = ['tar', '--extract', '--to-stdout', '--file', archive, PACKAGED]
    await shell.run(argv, { output_file: draft })
  } finally {
    await files.remove(archive)
  }
}

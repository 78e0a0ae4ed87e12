import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { must, run } from './run.ts'

/** The disk that a host starts with. */
export type Image = {
  /** Folders that it shares with other hosts, uppermost first. */
  layers: readonly string[]
  /** An archive of what another host wrote over these layers. */
  written?: string
}

/** A host writes less than 1 GiB; memory files cannot be swapped out. */
const ROOMY_GIB = 6

/**
 * Mounts a private disk over the shared layers and returns its path. It is in memory if enough is
 * free, or if the folder's own file system cannot be stacked on: a site has thousands of files.
 */
export async function mountDisk(image: Image, folder: string): Promise<string> {
  const root = join(folder, 'root')
  await mkdir(root, { recursive: true })
  if (!(await isRoomy()) && (await stack(image, folder, root))) return root
  await must(['mount', '-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', folder])
  await mkdir(root)
  if (await stack(image, folder, root)) return root
  throw new Error(`overlay mounts do not work below ${folder}`)
}

/** The part of a disk that is not shared with other hosts. */
const upperOf = (folder: string) => join(folder, 'upper')

/**
 * Archives what the host of this folder, whose disk is not mounted, has written. What was written is
 * copied into the disks of other hosts instead of shared with them: on a shared layer a folder could
 * not be renamed, and a written file would get another number. The marks of overlayfs for removed
 * files stay, and its references to files of the layers do not.
 */
export async function archiveDisk(folder: string, archive: string): Promise<void> {
  const attributes = ['--xattrs', '--xattrs-include=*', '--xattrs-exclude=trusted.overlay.origin']
  const options = ['--format=posix', '--sparse', '--numeric-owner', ...attributes]
  await must(['tar', '--create', `--file=${archive}`, ...options, '-C', upperOf(folder), '.'])
}

async function isRoomy(): Promise<boolean> {
  const found = /^MemAvailable: +(\d+) kB$/m.exec(await readFile('/proc/meminfo', 'utf8'))
  return Number(found?.[1] ?? 0) > ROOMY_GIB << 20
}

/** `volatile` skips every sync: a killed host loses nothing, only a kernel crash would. */
async function stack({ layers, written }: Image, folder: string, root: string) {
  const [upper, work] = [upperOf(folder), join(folder, 'work')]
  await mkdir(upper, { recursive: true })
  await mkdir(work, { recursive: true })
  if (written !== undefined) await unpack(written, upper)
  const options = `lowerdir=${layers.join(':')},upperdir=${upper},workdir=${work}`
  for (const extra of [',volatile', '']) {
    const argv = ['mount', '-t', 'overlay', '-o', `${options}${extra}`, 'overlay', root]
    if ((await run(argv)).code === 0) return true
  }
  return false
}

const unpack = (archive: string, folder: string) =>
  must([
    'tar',
    '--extract',
    `--file=${archive}`,
    '--numeric-owner',
    '--xattrs',
    '--xattrs-include=*',
    '-C',
    folder,
  ])

import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { must, run } from './run.ts'

/** A host writes less than 1 GiB; memory files cannot be swapped out. */
const ROOMY_GIB = 6

/**
 * Mounts a private disk over the shared `layers` (uppermost first) and returns its path. It is in
 * memory if enough is free, or if the folder's own file system cannot be stacked on: a site has
 * thousands of files.
 */
export async function mountDisk(layers: readonly string[], folder: string): Promise<string> {
  const root = join(folder, 'root')
  await mkdir(root, { recursive: true })
  if (!(await isRoomy()) && (await stack(layers, folder, root))) return root
  await must(['mount', '-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', folder])
  await mkdir(root)
  if (await stack(layers, folder, root)) return root
  throw new Error(`overlay mounts do not work below ${folder}`)
}

async function isRoomy(): Promise<boolean> {
  const found = /^MemAvailable: +(\d+) kB$/m.exec(await readFile('/proc/meminfo', 'utf8'))
  return Number(found?.[1] ?? 0) > ROOMY_GIB << 20
}

/** `volatile` skips every sync: a killed host loses nothing, only a kernel crash would. */
async function stack(layers: readonly string[], folder: string, root: string) {
  const [upper, work] = [join(folder, 'upper'), join(folder, 'work')]
  await mkdir(upper, { recursive: true })
  await mkdir(work, { recursive: true })
  const options = `lowerdir=${layers.join(':')},upperdir=${upper},workdir=${work}`
  for (const extra of [',volatile', '']) {
    const argv = ['mount', '-t', 'overlay', '-o', `${options}${extra}`, 'overlay', root]
    if ((await run(argv)).code === 0) return true
  }
  return false
}

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { must, run } from './run.ts'

/**
 * Mounts a disk of its own over the shared `layers` (uppermost first) and returns where. What
 * this machine cannot stack on the folder's own file system it stacks in memory.
 */
export async function mountDisk(layers: readonly string[], folder: string): Promise<string> {
  const root = join(folder, 'root')
  await mkdir(root, { recursive: true })
  if (await stack(layers, folder, root)) return root
  await must(['mount', '-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', folder])
  await mkdir(root)
  if (await stack(layers, folder, root)) return root
  throw new Error(`overlay mounts do not work below ${folder}`)
}

/** `volatile` spares the disk every sync: a killed host loses nothing, only a dead kernel would. */
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

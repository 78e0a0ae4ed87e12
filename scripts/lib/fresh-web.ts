import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buildWeb } from '../build-web.ts'

/** The pages in `dist/web`, built when they are not there or older than what they are made of. */
export async function provideWeb(root: string): Promise<void> {
  const built = await changedAt(join(root, 'dist', 'web', 'index.html'))
  const sources = await Promise.all(
    ['dashboard/web', 'shared', 'package.json'].map((path) => newest(join(root, path))),
  )
  if (built <= Math.max(...sources)) await buildWeb(root)
}

/** When the newest file there was changed; 0: there is none. */
async function newest(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true }).catch(() => [])
  return Math.max(
    ...(await Promise.all([path, ...names.map((name) => join(path, name))].map(changedAt))),
  )
}

const changedAt = (path: string) =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )

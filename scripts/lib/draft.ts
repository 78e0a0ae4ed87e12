import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Creates a temporary folder in another one: `await using` removes what is left of it. */
export async function draftIn(folder: string, prefix = '.draft-') {
  await mkdir(folder, { recursive: true })
  const path = await mkdtemp(join(folder, prefix))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

import { existsSync } from 'node:fs'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lastCommitOf } from './last-commit.ts'
import { manifestOf, newReleaseKey, publicKeyIn, readPublisherKey } from './release.ts'

/** The signer of the next build, with the private key if it is available. */
export interface Publisher {
  public_key: string
  private_key?: string
}

/** Returns the publisher of a release, by the public key in `file`; it signs elsewhere. */
export async function publisherOf(file: string): Promise<Publisher> {
  return { public_key: await readPublisherKey(file) }
}

/**
 * Returns a publisher of this checkout, created with its first build, so that upgrades work without
 * a chosen one. Its key is in `dist/`: everybody who can read that can sign.
 */
export async function developmentPublisher(root: string): Promise<Publisher> {
  const file = join(root, 'dist/development-key')
  await mkdir(dirname(file), { recursive: true })
  if (!existsSync(file)) {
    await newReleaseKey(file).catch((error: NodeJS.ErrnoException) => {
      // Another build has just created it.
      if (error.code !== 'EEXIST') throw error
    })
  }
  if (((await stat(file)).mode & 0o077) !== 0) {
    throw new Error(`${file} can be read by others: remove it, and build again`)
  }
  const private_key = await readFile(file, 'utf8')
  return { public_key: publicKeyIn(private_key), private_key }
}

/**
 * Returns the time of the last commit that changed the agent: it grows with the history. Without
 * git or a history, the number of the last build here, or 0.
 */
export async function buildNumberOf(root: string): Promise<number> {
  const path = manifestOf(join(root, 'dist', 'hosting-agent'))
  const text = await readFile(path, 'utf8').catch(() => '{}')
  const { build } = JSON.parse(text) as { build?: unknown }
  return (await lastCommitOf(root)) ?? (typeof build === 'number' ? build : 0)
}

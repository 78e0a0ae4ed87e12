import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
} from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ReleaseKey, ReleaseManifest, releaseText } from '#shared/kernel/release.ts'
import { digestOf } from './digest.ts'
import { must } from './run.ts'

export const manifestOf = (file: string) => `${file}.manifest.json`
export const signatureOf = (file: string) => `${manifestOf(file)}.sig`
/** Returns the public key's file beside a private key: the value of `--publisher-key`. */
export const publicOf = (key: string) => `${key}.pub`

/** Creates a key in `file`, readable by its owner alone, and `<file>.pub`. */
export async function newReleaseKey(file: string): Promise<string> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const draft = draftOf(file)
  try {
    await writeFile(draft, pem, { mode: 0o600, flag: 'wx' })
    // Fails for an existing key: it is never replaced, and nobody sees a part of it.
    await link(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
  const key = publicKeyIn(pem)
  await writeFile(publicOf(file), `${key}\n`)
  return key
}

/** Returns the public key of a PEM private key, 32 bytes in base64url. */
export function publicKeyIn(pem: string): string {
  const { kty, crv, x } = createPublicKey(createPrivateKey(pem)).export({ format: 'jwk' })
  if (kty !== 'OKP' || crv !== 'Ed25519') throw new Error('The key is not an Ed25519 key')
  return ReleaseKey.parse(x)
}

async function readPublisherKey(file: string): Promise<string> {
  const key = ReleaseKey.safeParse((await readFile(file, 'utf8')).trim())
  if (!key.success) throw new Error(`${file} is not a public key of scripts/release-key.ts`)
  return key.data
}

type Described = Pick<ReleaseManifest, 'version' | 'build' | 'machine'>

/** Writes the manifest of an executable beside it, for the owner of the publisher's key. */
export async function describeBuild(file: string, described: Described): Promise<void> {
  const sha256 = await digestOf(file, 'sha256')
  const manifest = ReleaseManifest.parse({ product: 'hosting-agent', ...described, sha256 })
  await rm(signatureOf(file), { force: true })
  await put(manifestOf(file), `${JSON.stringify(manifest)}\n`)
}

/** Signs the manifest beside `file` as it is; the executable itself need not be there. */
export async function signBuild(file: string, pem: string): Promise<ReleaseManifest> {
  const text = await readFile(manifestOf(file), 'utf8')
  const manifest = ReleaseManifest.parse(JSON.parse(text))
  const signature = sign(null, Buffer.from(releaseText(text)), createPrivateKey(pem))
  await put(signatureOf(file), `${signature.toString('base64url')}\n`)
  return manifest
}

const draftOf = (file: string) => `${file}.${randomUUID()}.draft`

async function put(file: string, text: string): Promise<void> {
  const draft = draftOf(file)
  await writeFile(draft, text)
  await rename(draft, file)
}

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

const AGENT = ['agent', 'shared', 'package.json', 'bun.lock']

/** Returns the seconds of the last commit of the agent; undefined without a history. */
export async function lastCommitOf(root: string): Promise<number | undefined> {
  // The checkout may belong to another user than root.
  const git = ['git', '-c', `safe.directory=${root}`, '-C', root]
  const text = await must([...git, 'log', '-1', '--format=%ct', '--', ...AGENT]).catch(() => '')
  return /^\d+\s*$/.test(text) ? Number(text) : undefined
}

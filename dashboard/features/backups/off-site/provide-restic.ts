import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { digestOf } from '#dashboard/kernel/runtime/digest.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { RESTIC } from '#shared/kernel/source.ts'
import { confinedReader } from './confined-programs.ts'
import { runOrThrow } from './run-program.ts'

const TIMEOUT_MS = 10 * 60_000

/** Returns the path of the same restic as on servers, downloaded once, with a known digest. */
export async function providedRestic(data_dir: string): Promise<string> {
  const { urls, sha256 } = RESTIC[process.arch === 'arm64' ? 'arm64' : 'x64']
  const [program, note] = [`${data_dir}/bin/restic`, `${data_dir}/bin/restic.sha256`]
  if ((await readFile(note, 'utf8').catch(() => '')) === sha256) return program
  await mkdir(`${data_dir}/bin`, { recursive: true, mode: 0o700 })
  const draft = `${program}.deb`
  try {
    const copy = `${data_dir}/cache/restic.deb`
    await download([pathToFileURL(copy).href, ...urls], draft, sha256)
    const archive = `${draft}.tar`
    const list = await confinedReader(['dpkg-deb', '--fsys-tarfile', draft], draft)
    await runOrThrow(list, { output_file: archive, is_limited: true })
    const options = ['--extract', '--to-stdout', '--file', archive, './usr/bin/restic']
    const unpack = await confinedReader(['tar', ...options], archive)
    await runOrThrow(unpack, { output_file: `${program}.new`, is_limited: true })
    await chmod(`${program}.new`, 0o700)
    await rename(`${program}.new`, program)
    await writeFile(note, sha256)
  } finally {
    for (const path of [draft, `${draft}.tar`, `${program}.new`]) await rm(path, { force: true })
  }
  return program
}

/** Downloads the program, or takes a copy beside the records, without internet. */
async function download(urls: readonly string[], to: string, sha256: string): Promise<void> {
  const problems: string[] = []
  for (const url of urls) {
    const problem = await downloadFrom(url, to).catch(messageOf)
    if (problem === undefined && (await digestOf(to)) === sha256) return
    problems.push(problem ?? `${url} is not the expected file`)
  }
  throw new Error(`restic is not available: ${problems.join('; ')}`)
}

async function downloadFrom(url: string, to: string): Promise<undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  await Bun.write(to, response)
}

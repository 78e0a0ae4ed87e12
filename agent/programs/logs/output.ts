import { closeLogs, type LogFile, openLogs } from './files.ts'
import { JOB_LINE } from './formats.ts'
import { backwards, type Region, unzippedRegions } from './regions.ts'
import type { ReadRequest } from './request.ts'

/** What each run has printed: the end of it. */
type Outputs = Record<string, string>

/**
 * The end of the output of some runs of jobs, by their invocation: as it was printed, without masks. It
 * begins with the newest line, and stops before the first run, or when its time is over.
 */
export async function outputsOf(request: ReadRequest): Promise<Outputs> {
  const { paths, runs, chars, since = '', budget_ms } = request
  const texts = new Map(runs.map((run) => [run, '']))
  const [from, deadline] = [Date.parse(since) || 0, Date.now() + budget_ms]
  const files = openLogs(paths)
  try {
    for (const file of files) {
      // The last change of a file is its newest line.
      if (file.at < from || Date.now() > deadline) break
      if (await isAllRead(file, { texts, chars, from, deadline })) break
    }
  } finally {
    closeLogs(files)
  }
  return Object.fromEntries([...texts].map(([run, text]) => [run, text.replace(/\n$/, '')]))
}

interface Reading {
  texts: Map<string, string>
  chars: number
  from: number
  deadline: number
}

/** True: the beginning of the first run was read. */
async function isAllRead(file: LogFile, { texts, chars, from, deadline }: Reading) {
  const add = (parts: ReadonlyMap<string, string>) => {
    for (const [run, text] of parts) texts.set(run, `${text}${texts.get(run) ?? ''}`.slice(-chars))
  }
  if (file.zipped) {
    add(await unzippedTexts(file, texts, chars).catch(() => new Map()))
    return false
  }
  for (const region of backwards(file, file.size, undefined)) {
    const { first, parts } = textsIn(region, texts)
    add(parts)
    if ((first !== undefined && first < from) || Date.now() > deadline) return true
  }
  return false
}

/** A compressed file can only be read from its beginning. */
async function unzippedTexts(file: LogFile, wanted: ReadonlyMap<string, string>, chars: number) {
  const texts = new Map<string, string>()
  for await (const region of unzippedRegions(file, undefined)) {
    for (const [run, text] of textsIn(region, wanted).parts)
      texts.set(run, `${texts.get(run) ?? ''}${text}`.slice(-chars))
  }
  return texts
}

/** The text of each run in some lines, and the time of the first line. */
function textsIn({ bytes }: Region, wanted: ReadonlyMap<string, string>) {
  const parts = new Map<string, string>()
  let first: number | undefined
  for (const line of bytes.toString('utf8').split('\n')) {
    const [, time = '', run = '', sign, text = ''] = JOB_LINE.exec(line) ?? []
    first ??= Date.parse(time) || undefined
    if (!wanted.has(run)) continue
    const before = parts.get(run) ?? ''
    parts.set(run, `${sign === '+' ? before.replace(/\n$/, '') : before}${text}\n`)
  }
  return { first, parts }
}

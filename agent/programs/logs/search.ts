import type { AgentLogLine, AgentLogPage, Looked } from '#shared/logs/site-logs.ts'
import { closeLogs, digestOf, type LogFile, openLogs } from './files.ts'
import { type Match, matchesIn, type Query, queryOf, timeOf } from './matches.ts'
import { backwards, type Region, unzippedRegions } from './regions.ts'
import type { ReadRequest } from './request.ts'
import { Room } from './room.ts'

/** Takes a match, newest first; false: no more is wanted. */
type Take = (match: Match) => boolean

interface Walk {
  query: Query
  take: Take
  deadline: number
  looked: Looked
  oldest: number
}

/** After a compressed file that takes longer, the call would take too long. */
const PATIENCE = 3

/** One page of matching lines, newest first, and where the next one begins. */
export async function search(request: ReadRequest): Promise<AgentLogPage> {
  const lines: AgentLogLine[] = []
  const room = new Room(request.limit)
  const { looked, next } = await walk(request, ({ line }) => {
    lines.push(line)
    return room.has(line)
  })
  return { lines, next, looked }
}

export interface Walked {
  /** The position at which the search continues; null when everything was read. */
  next: string | null
  looked: Looked
}

/** Gives matches, newest first, until nobody wants more, the time is over, or there are none. */
export async function walk(request: ReadRequest, take: Take): Promise<Walked> {
  const looked: Looked = { bytes: 0, files: 0, unread: 0, oldest_at: null }
  const deadline = Date.now() + request.budget_ms
  const query = queryOf(request.source, request)
  const state: Walk = { query, take, deadline, looked, oldest: Number.POSITIVE_INFINITY }
  const files = openLogs(request.paths)
  try {
    const next = await through(files, request.before, state)
    const oldest_at = Number.isFinite(state.oldest) ? new Date(state.oldest).toISOString() : null
    return { next, looked: { ...looked, oldest_at } }
  } finally {
    closeLogs(files)
  }
}

async function through(
  files: readonly LogFile[],
  before: string | undefined,
  state: Walk,
): Promise<string | null> {
  const left = from(files.map(named), before)
  for (const { file, digest, end } of left) {
    if (digest === undefined) {
      state.looked.unread += 1
      continue
    }
    if (isLate(state)) return `${digest}.${Number.isFinite(end) ? end : 'end'}`
    const stop = await throughFile(file, end, state)
    if (stop === OLDER) return null
    if (stop !== undefined) return `${digest}.${stop}`
  }
  return null
}

/** Each call comes further, however little time it has. */
const isLate = ({ looked, deadline }: Walk) => looked.bytes > 0 && Date.now() > deadline

const named = (file: LogFile) => ({
  file,
  digest: digestOf(file),
  end: Number.POSITIVE_INFINITY,
})

/** The files from a position on. Throws Gone if it is in none of them. */
function from(files: readonly ReturnType<typeof named>[], before: string | undefined) {
  const [file, place = 'end'] = before?.split('.') ?? []
  if (file === undefined) return files
  const at = files.findIndex(({ digest }) => digest === file)
  const [first, ...others] = files.slice(at)
  if (at < 0 || !first) throw new Gone()
  return [{ ...first, end: place === 'end' ? first.end : Number(place) }, ...others]
}

/** The file of a position is no longer kept. */
export class Gone extends Error {}

/** All following lines are older than the requested period. */
const OLDER = -1

/** Where it stopped, if it did. */
async function throughFile(file: LogFile, end: number, state: Walk): Promise<number | undefined> {
  // The last change of a file is its newest line.
  if (file.at < state.query.since) return OLDER
  state.looked.files += 1
  if (file.zipped) return throughZipped(file, end, state)
  for (const region of backwards(file, Math.min(end, file.size), state.query.format.begins)) {
    const stop = throughRegion(region, state)
    if (stop !== undefined) return stop
    if (region.from > 0 && isLate(state)) return region.from
  }
  return undefined
}

function throughRegion(region: Region, state: Walk): number | undefined {
  const { since, until } = state.query
  const time = see(region, state)
  if (time === undefined || time <= until) {
    const stop = taken(matchesIn(region, state.query).reverse(), state)
    if (stop !== undefined) return stop
  }
  return time !== undefined && time < since ? OLDER : undefined
}

const taken = (matches: readonly Match[], { take }: Walk): number | undefined =>
  matches.find((match) => !take(match))?.from

/** It can only be read from its beginning: the newest matches are kept until its end. */
async function throughZipped(file: LogFile, end: number, state: Walk): Promise<number | undefined> {
  const kept: Match[] = []
  let isFull = false
  const last = state.deadline + PATIENCE * Math.max(1000, state.deadline - Date.now())
  try {
    for await (const region of unzippedRegions(file, state.query.format.begins)) {
      if (region.from >= end) break
      see(region, state)
      kept.push(...matchesIn(region, state.query).filter(({ from }) => from < end))
      isFull ||= kept.length > MAX_KEPT
      kept.splice(0, Math.max(0, kept.length - MAX_KEPT))
      if (Date.now() > last) throw new Error('too slow')
    }
  } catch {
    state.looked.unread += 1
    return undefined
  }
  const stop = taken(kept.reverse(), state)
  return stop ?? (isFull ? kept.at(-1)?.from : undefined)
}

const MAX_KEPT = 5000

function see(region: Region, state: Walk): number | undefined {
  state.looked.bytes += region.bytes.length
  const time = timeOf(region, state.query)
  if (time !== undefined) state.oldest = Math.min(state.oldest, time)
  return time
}

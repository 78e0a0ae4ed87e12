import type { AgentLogLine, AgentLogPage, SearchExtent } from '#shared/logs/site-logs.ts'
import { closeLogs, digestOf, type LogFile, openLogs } from './files.ts'
import { type LogMatch, type LogQuery, matchesIn, queryOf, timeOf } from './matches.ts'
import { PageSpace } from './page-space.ts'
import { backwards, type LogRegion, unzippedRegions } from './regions.ts'
import type { ReadRequest } from './request.ts'

/** Takes a match, newest first; returns false when no more is wanted. */
type TakeMatch = (match: LogMatch) => boolean

interface SearchState {
  query: LogQuery
  take: TakeMatch
  deadline: number
  looked: SearchExtent
  oldest: number
}

/** The multiple of the time that a compressed file may take. */
const COMPRESSED_BUDGET_SHARE = 3

/** Returns one page of matching lines, newest first, and the position of the next one. */
export async function search(request: ReadRequest): Promise<AgentLogPage> {
  const lines: AgentLogLine[] = []
  const room = new PageSpace(request.limit)
  const { looked, next } = await searchMatches(request, ({ line }) => {
    lines.push(line)
    return room.has(line)
  })
  return { lines, next, looked }
}

export interface SearchEnd {
  /** The position at which the search continues; null when everything was read. */
  next: string | null
  looked: SearchExtent
}

/** Passes on matches, newest first, until nobody wants more, time is over, or none are left. */
export async function searchMatches(request: ReadRequest, take: TakeMatch): Promise<SearchEnd> {
  const looked: SearchExtent = { bytes: 0, files: 0, unread: 0, oldest_at: null }
  const deadline = Date.now() + request.budget_ms
  const query = queryOf(request.source, request)
  const state: SearchState = { query, take, deadline, looked, oldest: Number.POSITIVE_INFINITY }
  const files = openLogs(request.paths)
  try {
    const next = await searchFiles(files, request.before, state)
    const oldest_at = Number.isFinite(state.oldest) ? new Date(state.oldest).toISOString() : null
    return { next, looked: { ...looked, oldest_at } }
  } finally {
    closeLogs(files)
  }
}

async function searchFiles(
  files: readonly LogFile[],
  before: string | undefined,
  state: SearchState,
): Promise<string | null> {
  const left = filesFrom(files.map(named), before)
  for (const { file, digest, end } of left) {
    if (digest === undefined) {
      state.looked.unread += 1
      continue
    }
    if (isLate(state)) return `${digest}.${Number.isFinite(end) ? end : 'end'}`
    const stop = await searchFile(file, end, state)
    if (stop === OLDER) return null
    if (stop !== undefined) return `${digest}.${stop}`
  }
  return null
}

/** Returns whether the time is over; each call comes further, however little time it has. */
const isLate = ({ looked, deadline }: SearchState) => looked.bytes > 0 && Date.now() > deadline

const named = (file: LogFile) => ({
  file,
  digest: digestOf(file),
  end: Number.POSITIVE_INFINITY,
})

/** Returns the files from a position on. Throws PositionGone if it is in none of them. */
function filesFrom(files: readonly ReturnType<typeof named>[], before: string | undefined) {
  const [file, place = 'end'] = before?.split('.') ?? []
  if (file === undefined) return files
  const at = files.findIndex(({ digest }) => digest === file)
  const [first, ...others] = files.slice(at)
  if (at < 0 || !first) throw new PositionGone()
  return [{ ...first, end: place === 'end' ? first.end : Number(place) }, ...others]
}

/** Thrown when the file of a position is no longer kept. */
export class PositionGone extends Error {}

/** The result when all following lines are older than the requested period. */
const OLDER = -1

/** Searches a file; returns the offset where it stopped, if it did. */
async function searchFile(
  file: LogFile,
  end: number,
  state: SearchState,
): Promise<number | undefined> {
  // The last change of a file is its newest line.
  if (file.at < state.query.since) return OLDER
  state.looked.files += 1
  if (file.zipped) return searchZipped(file, end, state)
  for (const region of backwards(file, Math.min(end, file.size), state.query.format.begins)) {
    const stop = searchRegion(region, state)
    if (stop !== undefined) return stop
    if (region.from > 0 && isLate(state)) return region.from
  }
  return undefined
}

function searchRegion(region: LogRegion, state: SearchState): number | undefined {
  const { since, until } = state.query
  const time = countRegion(region, state)
  if (time === undefined || time <= until) {
    const stop = takeAll(matchesIn(region, state.query).reverse(), state)
    if (stop !== undefined) return stop
  }
  return time !== undefined && time < since ? OLDER : undefined
}

const takeAll = (matches: readonly LogMatch[], { take }: SearchState): number | undefined =>
  matches.find((match) => !take(match))?.from

/** Searches a compressed file from its beginning, and keeps the newest matches until its end. */
async function searchZipped(
  file: LogFile,
  end: number,
  state: SearchState,
): Promise<number | undefined> {
  const kept: LogMatch[] = []
  let isFull = false
  const last =
    state.deadline + COMPRESSED_BUDGET_SHARE * Math.max(1000, state.deadline - Date.now())
  try {
    for await (const region of unzippedRegions(file, state.query.format.begins)) {
      if (region.from >= end) break
      countRegion(region, state)
      kept.push(...matchesIn(region, state.query).filter(({ from }) => from < end))
      isFull ||= kept.length > MAX_KEPT
      kept.splice(0, Math.max(0, kept.length - MAX_KEPT))
      if (Date.now() > last) throw new Error('too slow')
    }
  } catch {
    state.looked.unread += 1
    return undefined
  }
  const stop = takeAll(kept.reverse(), state)
  return stop ?? (isFull ? kept.at(-1)?.from : undefined)
}

const MAX_KEPT = 5000

function countRegion(region: LogRegion, state: SearchState): number | undefined {
  state.looked.bytes += region.bytes.length
  const time = timeOf(region, state.query)
  if (time !== undefined) state.oldest = Math.min(state.oldest, time)
  return time
}

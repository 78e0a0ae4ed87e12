import { useEffect, useState } from 'react'
import { type Connection, followEvents } from '#dashboard/web/api/events.ts'
import type { LogNewsEvent } from '#shared/logs/api/site-logs.ts'
import type { LogEntry } from './log-table.tsx'

/** The maximum number of lines that a live view keeps; the oldest ones are dropped. */
const MAX_KEPT = 2000
const FRAME_MS = 250

interface Live {
  /** Newest first. */
  lines: readonly LogEntry[]
  connection: Connection
  error: unknown
}

const NOTHING: Live = { lines: [], connection: 'connecting', error: undefined }

/**
 * The lines of a live view since it was opened; lines that arrive while it is paused are not lost.
 */
export function useLive(path: string | undefined, isPaused: boolean): Live {
  const [state, setState] = useState(NOTHING)
  const [shown, setShown] = useState<readonly LogEntry[]>([])
  useEffect(() => {
    setState(NOTHING)
    if (path === undefined) return undefined
    const controller = new AbortController()
    const set = (change: (now: Live) => Live) => !controller.signal.aborted && setState(change)
    let waiting: LogEntry[] = []
    const timer = setInterval(() => {
      const added = waiting.toReversed()
      waiting = []
      if (added.length > 0)
        set((now) => ({ ...now, lines: [...added, ...now.lines].slice(0, MAX_KEPT) }))
    }, FRAME_MS)
    followEvents(path, controller.signal, {
      resumes: false,
      onEvent: ({ data }) => waiting.push(...shownOf(data as LogNewsEvent)),
      onConnection: (connection) => set((now) => ({ ...now, connection })),
    }).catch((error: unknown) => set((now) => ({ ...now, connection: 'ended', error })))
    return () => {
      clearInterval(timer)
      controller.abort()
    }
  }, [path])
  useEffect(() => {
    if (!isPaused) setShown(state.lines)
  }, [state.lines, isPaused])
  return { ...state, lines: shown }
}

function shownOf(news: LogNewsEvent): LogEntry[] {
  return news.kind === 'line' ? [news.line] : [{ left_out: news.lines }]
}

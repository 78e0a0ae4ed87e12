import { useEffect, useRef, useState } from 'react'
import type { StoredEvent } from '#shared/sse.ts'
import { type Connection, followEvents } from './events.ts'

interface Followed {
  events: readonly StoredEvent[]
  connection: Connection
  error: unknown
}

const NOTHING: Followed = { events: [], connection: 'connecting', error: undefined }
const FRAME_MS = 16
/** A longer list is drawn less often. */
const MS_PER_EVENT = 0.01
const LONGEST_MS = 250

/**
 * All events of a stored stream, gathered and shown at most once per frame. `isOver`: the records say
 * that it has ended, so that a stream without an end, whose events are past their age, is not asked
 * for again.
 */
export function useEvents(path: string, isOver = false): Followed {
  const [state, setState] = useState(NOTHING)
  const over = useRef(isOver)
  over.current = isOver
  useEffect(() => {
    setState(NOTHING)
    const leave = new AbortController()
    const { push, change } = perFrame(leave.signal, setState)
    followEvents(path, leave.signal, {
      resumes: true,
      onEvent: push,
      isOver: () => over.current,
      onConnection: (connection) => change({ connection }),
    }).catch((error: unknown) => change({ connection: 'ended', error }))
    return () => leave.abort()
  }, [path])
  return state
}

/** Calls `onEvent` for each event of a stream that has no past, and `onBack` after each break. */
export function useFeed(path: string, onEvent: (event: StoredEvent) => void, onBack: () => void) {
  const calls = useRef({ onEvent, onBack })
  calls.current = { onEvent, onBack }
  useEffect(() => {
    const leave = new AbortController()
    let broken = false
    followEvents(path, leave.signal, {
      resumes: false,
      onEvent: (event) => calls.current.onEvent(event),
      onConnection: (state) => {
        if (state !== 'live') return
        if (broken) calls.current.onBack()
        broken = true
      },
    }).catch(() => undefined)
    return () => leave.abort()
  }, [path])
}

function perFrame(signal: AbortSignal, set: (change: (now: Followed) => Followed) => void) {
  let events: StoredEvent[] = []
  let changes: Partial<Followed> = {}
  let isWaiting = false
  let total = 0
  const flush = () => {
    const [news, changed] = [events, changes]
    events = []
    changes = {}
    isWaiting = false
    if (!signal.aborted) set((now) => ({ ...now, ...changed, events: now.events.concat(news) }))
  }
  const wake = () => {
    const pause = Math.min(FRAME_MS + total * MS_PER_EVENT, LONGEST_MS)
    if (!isWaiting) setTimeout(flush, pause)
    isWaiting = true
  }
  return {
    push: (event: StoredEvent) => {
      events.push(event)
      total++
      wake()
    },
    change: (change: Partial<Followed>) => {
      Object.assign(changes, change)
      wake()
    },
  }
}

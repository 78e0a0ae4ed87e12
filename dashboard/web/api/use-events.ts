import { useEffect, useRef, useState } from 'react'
import type { StoredEvent } from '#shared/kernel/sse.ts'
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
const MAX_MS = 250

/**
 * All events of a stored stream, gathered and shown at most once per frame. `hasEnded`: the records
 * say that it has ended, so that a stream without an end, whose events were removed after their
 * retention, is not requested again.
 */
export function useEvents(path: string, hasEnded = false): Followed {
  const [state, setState] = useState(NOTHING)
  const ended = useRef(hasEnded)
  ended.current = hasEnded
  useEffect(() => {
    setState(NOTHING)
    const controller = new AbortController()
    const { push, change } = perFrame(controller.signal, setState)
    followEvents(path, controller.signal, {
      resumes: true,
      onEvent: push,
      hasEnded: () => ended.current,
      onConnection: (connection) => change({ connection }),
    }).catch((error: unknown) => change({ connection: 'ended', error }))
    return () => controller.abort()
  }, [path])
  return state
}

/**
 * Calls `onEvent` for each event of a stream without stored events, and `onBack` after each break.
 */
export function useFeed(path: string, onEvent: (event: StoredEvent) => void, onBack: () => void) {
  const calls = useRef({ onEvent, onBack })
  calls.current = { onEvent, onBack }
  useEffect(() => {
    const controller = new AbortController()
    let broken = false
    followEvents(path, controller.signal, {
      resumes: false,
      onEvent: (event) => calls.current.onEvent(event),
      onConnection: (state) => {
        if (state !== 'live') return
        if (broken) calls.current.onBack()
        broken = true
      },
    }).catch(() => undefined)
    return () => controller.abort()
  }, [path])
}

function perFrame(signal: AbortSignal, set: (change: (now: Followed) => Followed) => void) {
  let events: StoredEvent[] = []
  let changes: Partial<Followed> = {}
  let isWaiting = false
  let total = 0
  const flush = () => {
    const [added, changed] = [events, changes]
    events = []
    changes = {}
    isWaiting = false
    if (!signal.aborted) set((now) => ({ ...now, ...changed, events: now.events.concat(added) }))
  }
  const wake = () => {
    const pause = Math.min(FRAME_MS + total * MS_PER_EVENT, MAX_MS)
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

import { type KeyboardEvent, useState } from 'react'

interface Keys {
  total: number
  /** How many rows PageUp and PageDown pass. */
  rowsInView: () => number
  /** Brings a row into view. */
  reveal: (index: number) => void
  onOpen: (index: number) => void
  onToggle: (index: number) => void
}

/** The row that the keyboard is on, and where each key leads. Space selects, Enter opens. */
export function useGridKeys({ total, rowsInView, reveal, onOpen, onToggle }: Keys) {
  const [active, setActive] = useState(0)
  const last = Math.max(0, total - 1)
  const current = Math.min(active, last)
  const go = (index: number) => {
    setActive(index)
    reveal(index)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget)
      return
    const next = leadsTo(event.key, { current, last, page: rowsInView() })
    if (next !== undefined) go(next)
    else if (event.key === ' ') onToggle(current)
    else if (event.key === 'Enter') onOpen(current)
    else return
    if (next !== undefined && event.shiftKey) onToggle(next)
    event.preventDefault()
  }
  return { active: current, setActive, onKeyDown }
}

interface Place {
  current: number
  last: number
  page: number
}

/** The row that a key leads to; undefined for one that leads nowhere. */
function leadsTo(key: string, { current, last, page }: Place): number | undefined {
  const rows = new Map([
    ['ArrowDown', current + 1],
    ['ArrowUp', current - 1],
    ['PageDown', current + page],
    ['PageUp', current - page],
    ['Home', 0],
    ['End', last],
  ])
  const row = rows.get(key)
  return row === undefined ? undefined : Math.max(0, Math.min(row, last))
}

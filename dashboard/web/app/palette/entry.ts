import type { LucideIcon } from 'lucide-react'

/** One thing that the palette leads to or does. */
export interface Entry {
  id: string
  name: string
  /** What stands beside the name: where it is, or the keys that do the same. */
  more?: string | undefined
  icon: LucideIcon
  /** What else it is found by. */
  words?: string
  act: () => void
}

export interface Group {
  value: string
  items: Entry[]
}

/** Whether each word of the text stands somewhere in it. */
export function isFound({ name, more = '', words = '' }: Entry, text: string): boolean {
  const all = `${name} ${more} ${words}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

import type { LucideIcon } from 'lucide-react'

/** One thing that the palette leads to or does. */
export interface Entry {
  id: string
  name: string
  /** Shown beside the name: its place, or the keys that do the same. */
  more?: string | undefined
  icon: LucideIcon
  /** Further words that find it. */
  words?: string
  act: () => void
}

export interface Group {
  value: string
  items: Entry[]
}

/** Whether it contains each word of the text. */
export function isFound({ name, more = '', words = '' }: Entry, text: string): boolean {
  const all = `${name} ${more} ${words}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

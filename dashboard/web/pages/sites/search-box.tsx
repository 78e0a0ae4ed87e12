import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Input } from '../../ui/field.tsx'

/** After the last key. */
const PAUSE_MS = 120

/** Looks for what is typed once the keys rest; `/` leads here from anywhere on the page. */
export function SearchBox({
  value,
  onSearch,
}: {
  value: string
  onSearch: (text: string) => void
}) {
  const [text, setText] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // Who types is ahead of the address; anybody else follows it.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(value)
  }, [value])
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return
      event.preventDefault()
      input.current?.select()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [])
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onSearch(next.trim()), PAUSE_MS)
  }
  return (
    <search className="relative min-w-48 flex-1 sm:max-w-sm">
      <Search className="absolute top-2.5 left-3 size-4 text-muted" aria-hidden />
      <Input
        ref={input}
        type="search"
        value={text}
        onChange={(event) => type(event.target.value)}
        placeholder="Domain or system user"
        aria-label="Search sites"
        aria-keyshortcuts="/"
        className="pl-9"
      />
    </search>
  )
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input, textarea, select, [role=dialog]') !== null
  )
}

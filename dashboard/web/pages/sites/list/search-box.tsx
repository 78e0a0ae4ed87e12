import { Search } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Input } from '#dashboard/web/ui/field.tsx'
import { type OnTyped, useTypedText } from '#dashboard/web/ui/use-typed-text.ts'

/** After the last key. */
const PAUSE_MS = 120

/** Searches after a pause in typing; `/` moves the focus here. */
export function SearchBox({ value, onSearch }: { value: string; onSearch: OnTyped }) {
  const { text, type, rest } = useTypedText(value, onSearch, PAUSE_MS)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return
      event.preventDefault()
      input.current?.select()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [])
  return (
    <div className="relative min-w-48 flex-1 sm:max-w-sm">
      <Search className="absolute top-2.5 left-3 size-4 text-muted" />
      <Input
        ref={input}
        type="search"
        value={text}
        onBlur={rest}
        onChange={(event) => type(event.target.value)}
        placeholder="Domain or system user"
        aria-label="Search sites"
        aria-keyshortcuts="/"
        className="pl-9"
      />
    </div>
  )
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input, textarea, select, [role=dialog]') !== null
  )
}

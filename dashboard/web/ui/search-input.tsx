import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { cx } from './cx.ts'
import { Input } from './field.tsx'

interface SearchInputProps {
  /** What is searched: `Search servers`. */
  name: string
  /** Default: the name. */
  placeholder?: string
  /** The search text in the address. */
  value: string
  onChange: OnTyped
  /** How long after the last key the text is searched. */
  pause_ms?: number
  className?: string
}

/** The search field of a page; `/` moves the focus to it. */
export function SearchInput({ name, value, onChange, pause_ms = 0, ...props }: SearchInputProps) {
  const { placeholder = name, className } = props
  const { text, type, rest } = useTypedText(value, onChange, pause_ms)
  return (
    <div className={cx('relative', className)}>
      <Search className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted" />
      <Input
        type="search"
        aria-label={name}
        aria-keyshortcuts="/"
        placeholder={placeholder}
        value={text}
        onBlur={rest}
        onChange={(event) => type(event.target.value)}
        className="pl-9"
      />
    </div>
  )
}

/** Called with the typed text; `isContinued`: it follows earlier calls of the same typing. */
type OnTyped = (text: string, isContinued: boolean) => void

/**
 * A text that is also in the address. Typing is ahead of the address; any other change of the
 * address, such as Back, changes the text.
 */
function useTypedText(value: string, onTyped: OnTyped, pause_ms: number) {
  const [text, setText] = useState(value)
  /** Typed here, and not in the address yet. */
  const own = useRef<string[]>([])
  const isContinued = useRef(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    const at = own.current.indexOf(value)
    if (at >= 0) {
      own.current.splice(0, at + 1)
      return
    }
    own.current = []
    isContinued.current = false
    clearTimeout(timer.current)
    setText((before) => (before.trim() === value ? before : value))
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const report = (next: string) => {
    if (next === (own.current.at(-1) ?? value)) return
    own.current.push(next)
    onTyped(next, isContinued.current)
    isContinued.current = true
  }
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    if (pause_ms === 0) report(next.trim())
    else timer.current = setTimeout(() => report(next.trim()), pause_ms)
  }
  const rest = () => {
    isContinued.current = false
  }
  return { text, type, rest }
}

import { Search } from 'lucide-react'
import { cx } from './cx.ts'
import { Input } from './field.tsx'
import { type OnTyped, useTypedText } from './use-typed-text.ts'

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

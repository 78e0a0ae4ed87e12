import { Search } from 'lucide-react'
import { useState } from 'react'
import { cx } from './cx.ts'
import { Input } from './field.tsx'

interface SearchInputProps {
  /** What is searched: `Search servers`. */
  name: string
  /** What is searched for by the address of the page. */
  value: string
  onChange: (value: string) => void
  className?: string
}

/** Shows what is typed at once, and follows the address only while nobody types. */
export function SearchInput({ name, value, onChange, className }: SearchInputProps) {
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  const [isTyping, setTyping] = useState(false)
  if (value !== seen) {
    setSeen(value)
    if (!isTyping) setText(value)
  }
  const change = (next: string) => {
    setText(next)
    onChange(next.trim())
  }
  return (
    <div className={cx('relative', className)}>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
      />
      <Input
        type="search"
        aria-label={name}
        placeholder={name}
        value={text}
        onFocus={() => setTyping(true)}
        onBlur={() => setTyping(false)}
        onChange={(event) => change(event.target.value)}
        className="pl-9"
      />
    </div>
  )
}

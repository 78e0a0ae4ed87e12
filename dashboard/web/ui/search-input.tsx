import { Search } from 'lucide-react'
import { cx } from './cx.ts'
import { Input } from './field.tsx'
import { type OnTyped, useTypedText } from './use-typed-text.ts'

interface SearchInputProps {
  /** What is searched: `Search servers`. */
  name: string
  /** The search text in the address. */
  value: string
  onChange: OnTyped
  className?: string
}

export function SearchInput({ name, value, onChange, className }: SearchInputProps) {
  const { text, type, rest } = useTypedText(value, onChange)
  return (
    <div className={cx('relative', className)}>
      <Search className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted" />
      <Input
        type="search"
        aria-label={name}
        placeholder={name}
        value={text}
        onBlur={rest}
        onChange={(event) => type(event.target.value)}
        className="pl-9"
      />
    </div>
  )
}

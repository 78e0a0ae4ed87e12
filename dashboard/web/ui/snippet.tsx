import { Copy } from './copy.tsx'
import { cx } from './cx.ts'

interface SnippetProps {
  text: string
  /** Names it: `Copy the line`. */
  what: string
  large?: boolean
}

/** A text to copy into a shell. */
export function Snippet({ text, what, large = false }: SnippetProps) {
  return (
    <div className="flex items-start gap-1 rounded-lg border border-line bg-sunken">
      <code
        className={cx(
          'min-w-0 flex-1 p-3 font-mono break-all whitespace-pre-wrap select-all',
          large ? 'text-base tracking-wide' : 'text-xs leading-relaxed',
        )}
      >
        {text}
      </code>
      <div className="p-1">
        <Copy text={text} what={what} />
      </div>
    </div>
  )
}

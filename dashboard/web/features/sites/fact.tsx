import { Copy } from '#dashboard/web/ui/copy.tsx'

export const muted = (text: string) => <span className="text-muted">{text}</span>

interface TextProps {
  of: string
  what: string
  /** Shown instead of an empty text. */
  unknown?: string | undefined
}

/** A text with a button that copies it. */
export function Text({ of, what, unknown = '–' }: TextProps) {
  if (of === '') return muted(unknown)
  return (
    <span className="-my-2 flex items-center gap-1">
      <code className="min-w-0 text-xs break-all">{of}</code>
      <Copy text={of} what={what} />
    </span>
  )
}

import type { Site } from '#dashboard/web/api/sites.ts'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { unknownWords } from '#dashboard/web/ui/unknown-words.ts'

interface UnknownProps {
  of: Site['unknown']
  fact: string
  /** Shown when the agent gave no reason. */
  usual: string
}

/** Why there is no value. */
export function Unknown({ of, fact, usual }: UnknownProps) {
  return <span className="text-muted">{unknownWords(of, fact) ?? usual}</span>
}

export function Text({ of, what }: { of: string; what: string }) {
  if (of === '') return <span className="text-muted">–</span>
  return (
    <span className="-my-2 flex items-center gap-1">
      <code className="min-w-0 text-xs break-all">{of}</code>
      <Copy text={of} what={what} />
    </span>
  )
}

import type { ReactNode } from 'react'

/** Text with `code`, **weight** and empty lines between paragraphs: as much of CommonMark as is used. */
export function Prose({ text }: { text: string }) {
  return (
    <div className="flex max-w-prose flex-col gap-3 leading-relaxed">
      {text.split(/\n{2,}/).map((paragraph) => (
        <p key={paragraph}>
          <InlineText text={paragraph} />
        </p>
      ))}
    </div>
  )
}

/** The same within a line. */
export function InlineText({ text }: { text: string }): ReactNode {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, at) => {
    const key = `${at} ${part}`
    if (part.startsWith('`')) return <Code key={key}>{part.slice(1, -1)}</Code>
    if (part.startsWith('**')) return <strong key={key}>{part.slice(2, -2)}</strong>
    return part
  })
}

function Code({ children }: { children: ReactNode }) {
  return (
    <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.92em] break-words">
      {children}
    </code>
  )
}

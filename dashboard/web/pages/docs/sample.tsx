import { Copy } from '#dashboard/web/ui/copy.tsx'

/** Text to look at and to copy; what is too wide scrolls. */
export function Sample({ label, text }: { label: string; text: string }) {
  return (
    <div className="relative min-w-0 rounded-lg border border-line bg-sunken">
      <div className="absolute top-1 right-1 rounded-lg bg-sunken">
        <Copy text={text} what={label} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
      <div
        role="group"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto p-3 pr-12"
      >
        <pre className="font-mono text-xs leading-relaxed">{text}</pre>
      </div>
    </div>
  )
}

export const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2)

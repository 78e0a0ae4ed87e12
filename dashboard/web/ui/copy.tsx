import { Check, Copy as Icon } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from './button.tsx'
import { toast } from './toasts.tsx'

const SHOWN_MS = 2_000

/** Copies a text; `what` names it: `Copy the password`. */
export function Copy({ text, what }: { text: string | (() => string); what: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
      setCopied(true)
      setTimeout(() => setCopied(false), SHOWN_MS)
    } catch {
      toast('The browser blocked copying. Select the text instead.', { error: true })
    }
  }
  const icon = copied ? <Check className="text-good" /> : <Icon />
  return <IconButton name={copied ? 'Copied' : `Copy ${what}`} icon={icon} onClick={copy} />
}

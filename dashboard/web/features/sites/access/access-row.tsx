import type { ReactNode } from 'react'

interface AccessRowProps {
  name: string
  about: string
  children: ReactNode
}

/** One action with its name, explanation and button. */
export function AccessRow({ name, about, children }: AccessRowProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        <p className="font-medium">{name}</p>
        <p className="text-xs text-muted">{about}</p>
      </div>
      {children}
    </div>
  )
}

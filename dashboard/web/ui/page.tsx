import { type ReactNode, useEffect } from 'react'
import { cx } from './cx.ts'

interface PageProps {
  title: string
  /** The title of the browser tab, if it is longer. */
  tab?: string
  /** Beside or under the title. */
  about?: ReactNode
  actions?: ReactNode
  /** The breadcrumb above the title. */
  trail?: ReactNode
  children: ReactNode
}

/** One page: title, actions and parts. */
export function Page({ title, tab = title, about, actions, trail, children }: PageProps) {
  useEffect(() => {
    document.title = `${tab} · Hosting Control`
  }, [tab])
  return (
    <div className="mx-auto flex w-full max-w-[100rem] flex-col gap-5 px-4 py-5 sm:px-6 lg:px-8">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          {trail && <div className="mb-1 text-xs text-muted">{trail}</div>}
          <h1
            tabIndex={-1}
            className="text-xl font-semibold tracking-tight break-words outline-none"
          >
            {title}
          </h1>
          {about && <div className="mt-1 text-muted">{about}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface CardProps {
  title?: ReactNode
  /** Right of the title. */
  actions?: ReactNode
  /** Whether the content has no padding, so that tables reach the edge. */
  flush?: boolean
  className?: string
  children: ReactNode
}

/** A part of a page with a heading of its own. */
export function Card({ title, actions, flush = false, className, children }: CardProps) {
  return (
    <section className={cx('min-w-0 rounded-xl border border-line bg-surface', className)}>
      {title && (
        <div className="flex min-h-12 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2">
          <h2 className="min-w-0 font-semibold wrap-anywhere">{title}</h2>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className={flush ? '' : 'p-4'}>{children}</div>
    </section>
  )
}

const STEPS = [
  [
    'Paste one command',
    'The next page shows a command for a shell on the server, and a code to type.',
  ],
  [
    'The server comes online automatically',
    'The agent proves to the dashboard that it has the code.',
  ],
  [
    'Ready for sites',
    'nginx, PHP and MariaDB are installed with one click, or with the first site.',
  ],
] as const

/** The steps of adding a server. */
export function WhatComes() {
  return (
    <section aria-label="What comes next" className="flex flex-col gap-4 p-1 text-muted lg:pt-4">
      <ol className="flex flex-col gap-4">
        {STEPS.map(([title, about], at) => (
          <li key={title} className="flex gap-3">
            <span className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent">
              {at + 1}
            </span>
            <span>
              <span className="block font-medium text-text">{title}</span>
              {about}
            </span>
          </li>
        ))}
      </ol>
      <p className="text-xs">
        The machine needs Debian 12 or 13, and its port 8443 open to the dashboard. Existing sites
        are discovered and not changed.
      </p>
    </section>
  )
}

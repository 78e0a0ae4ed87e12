/** The name and logo of the product. */
export function Mark() {
  return (
    <span className="flex items-center gap-2.5 px-2 py-1 font-semibold">
      <svg viewBox="0 0 32 32" className="size-7" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="#4f46e5" />
        <g fill="none" stroke="#fff" strokeWidth="2.4" strokeLinecap="round">
          <rect x="7" y="7.5" width="18" height="7" rx="2" />
          <rect x="7" y="17.5" width="18" height="7" rx="2" />
          <path d="M11.5 11h.01M11.5 21h.01M17 11h4.5M17 21h4.5" />
        </g>
      </svg>
      Hosting Control
    </span>
  )
}

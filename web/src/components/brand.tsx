/** The mark: a pulse that goes on. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="9" />
    <path d="M7 17h4.2l2.6-7 4.6 12 2.4-5H25" />
  </svg>
);

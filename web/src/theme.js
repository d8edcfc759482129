/* Runs before the page is drawn. A chosen theme wins over the system's theme; without storage that stays. */
try {
  const { theme } = localStorage;
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {}

/* The first use of dates and numbers takes browsers long. Scripts are still being loaded. */
setTimeout(() => new Intl.NumberFormat("en"));

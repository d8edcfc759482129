import { describe, expect, test } from "bun:test";
import { type Case, rulesOn, verdictOn } from "../seen.ts";
import { article, notice, page, prose } from "./wall-pages.ts";

const HOME = "http://site.test/";
const LINK = "http://site.test/articles/some-story";
const MISSING = { status: 404, html: "Not found." };
const SUSPENDED = "dead hosting_suspended C2";
const SUSPECTED = "unknown soft404_suspected";
const PLACEHOLDER = "unknown placeholder_page";
const SITE_ERROR = "unknown site_error";

const testRows = (rows: [story: string, given: Case, verdict: string][]) =>
  test.each(rows)("%s", async (_, given, verdict) => {
    expect(await verdictOn(given)).toBe(verdict);
  });

/** A page with a title and no heading. */
const titled = (title: string, text: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body><div>${text}</div></body></html>`;

const plain = (text: string) => `<html><body>${text}</body></html>`;

const titleOf = (html: string) => /<title>(.*?)<\/title>/.exec(html)?.[1] ?? "";

const CPANEL = notice(
  "Account Suspended",
  "Account Suspended",
  "This Account has been suspended. Contact your hosting provider for more information.",
);

const NGINX = notice(
  "Welcome to nginx!",
  "Welcome to nginx!",
  "If you see this page, the nginx web server is successfully installed and working. Further configuration is required.",
);

describe("a host has switched a site off when it shows", () => {
  testRows([
    ["cPanel's page", { html: CPANEL }, SUSPENDED],
    ["the same at home", { url: HOME, html: CPANEL }, SUSPENDED],
    [
      "cPanel's address for it, whatever the page says",
      {
        from: [LINK],
        at: "http://site.test/cgi-sys/suspendedpage.cgi",
        html: notice("Contact us"),
      },
      SUSPENDED,
    ],
    [
      "an older page of cPanel's, without a heading",
      {
        html: titled(
          "site.test",
          "This Account Has Been Suspended. Please contact the billing department of your hosting company.",
        ),
      },
      SUSPENDED,
    ],
    ["that the website is suspended", { html: notice("Website Suspended") }, SUSPENDED],
    [
      "that the site is suspended",
      { html: notice("Site Suspended", "This site has been suspended") },
      SUSPENDED,
    ],
    ["that the domain is suspended", { html: notice("Domain Suspended") }, SUSPENDED],
    [
      "that a registrar suspended the domain",
      {
        html: notice(
          "site.test",
          "This domain name has been suspended",
          "The registrant's email address was not verified.",
        ),
      },
      SUSPENDED,
    ],
    ["Hestia's words", { html: titled("", "This site is currently suspended") }, SUSPENDED],
    [
      "that it is suspended by its name",
      { html: notice("site.test", "site.test is suspended") },
      SUSPENDED,
    ],
    [
      "so under its own name, at every address",
      {
        html: notice("Website suspended | Fast Host", "Website suspended"),
        facts: {
          sibling: { html: notice("Website suspended | Fast Host", "Website suspended") },
          home: { html: notice("Website suspended | Fast Host", "Website suspended") },
        },
      },
      SUSPENDED,
    ],
    [
      "so in one folder, while its home page shows something else",
      {
        html: notice("Website suspended | Fast Host", "Website suspended"),
        facts: {
          sibling: { html: notice("Website suspended | Fast Host", "Website suspended") },
          home: { html: "<title>Harbour</title><h1>Harbour</h1><p>Ships, ropes and tides.</p>" },
        },
      },
      "unknown soft404_suspected",
    ],
    [
      "so under its own name, as far as can be seen",
      { html: notice("Website suspended | Fast Host"), facts: { sibling: null } },
      PLACEHOLDER,
    ],
    [
      "so at an address that speaks of it: it is asked whether it does so everywhere",
      { url: "http://site.test/kb/website-suspended", html: notice("Website Suspended") },
      "wants sibling",
    ],
    [
      "so under its own name: it is asked whether it does so everywhere",
      { html: notice("Website suspended | Fast Host") },
      "wants sibling",
    ],
  ]);
});

const NOTICES = [
  "Diese Website wurde gesperrt",
  "Der Account wurde gesperrt",
  "Ce site est suspendu",
  "Compte suspendu",
  "Dominio suspendido",
  "Cuenta suspendida",
  "Questo sito è stato sospeso",
  "Account sospeso",
  "Site suspenso",
  "Conta suspensa",
  "Deze website is opgeschort",
  "Strona została zawieszona",
  "Konto zawieszone",
  "Сайт приостановлен",
  "Аккаунт приостановлен",
];

describe("a host's notice is understood in other languages:", () => {
  test.each(NOTICES)("%s", async (words) => {
    expect(await verdictOn({ html: notice(words) })).toBe(SUSPENDED);
  });

  test.each(NOTICES)("%s, unless it heads an article", async (words) => {
    expect(await verdictOn({ html: article(words, 60) })).toBe("active ok");
  });
});

describe("a page that says twice that an account is suspended, among others that are there, is suspected:", () => {
  testRows([
    [
      "a member of a forum who was suspended",
      {
        html: page("Account suspended", `<h1>Account suspended</h1><p>Joe broke the rules.</p>`, {
          header: '<form action="/search"><input name="q"></form>',
        }),
        facts: { sibling: MISSING },
      },
      SUSPECTED,
    ],
    [
      "on a site that shows other pages for what it lacks",
      {
        html: page("Account suspended - Chatter", "<h1>Account suspended</h1>"),
        facts: { sibling: { html: page("Results", `<h1>Results</h1>${prose(60)}`) } },
      },
      SUSPECTED,
    ],
    [
      "but not where its address speaks of it",
      {
        url: "http://site.test/users/suspended",
        html: page("Account suspended", "<h1>Account suspended</h1>"),
        facts: { sibling: MISSING },
      },
      "active ok",
    ],
    [
      "nor a page that calls itself an article",
      { html: article("Account suspended", 20), facts: { sibling: MISSING } },
      "active ok",
    ],
  ]);
});

describe("a site that speaks of suspension is there:", () => {
  testRows([
    ["an article on suspended accounts", { html: article("Account Suspended", 300) }, "active ok"],
    [
      "a long page of help",
      { html: page("Account suspended", `<h1>Account suspended</h1>${prose(400)}`) },
      "active ok",
    ],
    [
      "a short page of help on a site that knows what it lacks",
      {
        html: page("Account suspended | Fast Host Help", `<h1>Account suspended</h1>${prose(60)}`),
        facts: { sibling: MISSING },
      },
      "active ok",
    ],
    [
      "a member who was suspended, on a page without a title",
      {
        html: plain("<h1>Account suspended</h1><p>Joe broke the rules.</p>"),
        facts: { sibling: MISSING },
      },
      "active ok",
    ],
    ["a bridge", { html: notice("The suspended bridge", "A suspended site") }, "active ok"],
    ["a question", { html: notice("Why is my website suspended?") }, "active ok"],
    ["a headline", { html: notice("Domain suspended after complaint by rival") }, "active ok"],
    ["a flight", { html: notice("Service to Rome suspended") }, "active ok"],
    [
      "who asked for cPanel's address itself",
      { url: "http://site.test/cgi-sys/suspendedpage.cgi", html: page("Our template", prose(60)) },
      "active ok",
    ],
    ["a refused page stays refused", { status: 403, html: CPANEL }, "unknown http_403"],
  ]);
});

const DEFAULT_PAGES: [server: string, html: string][] = [
  ["nginx", NGINX],
  [
    "nginx on Fedora",
    notice(
      "Test Page for the Nginx HTTP Server on Fedora",
      "Welcome to nginx on Fedora!",
      "This page is used to test the proper operation of the nginx HTTP server after it has been installed.",
    ),
  ],
  [
    "OpenResty",
    notice(
      "Welcome to OpenResty!",
      "Welcome to OpenResty!",
      "If you see this page, the OpenResty web platform is successfully installed and working.",
    ),
  ],
  [
    "Apache on Ubuntu",
    titled(
      "Apache2 Ubuntu Default Page: It works",
      `Apache2 Default Page It works! This is the default welcome page used to test the correct operation of the Apache2 server after installation on Ubuntu systems. ${prose(350)}`,
    ),
  ],
  [
    "Apache on Debian",
    titled(
      "Apache2 Debian Default Page: It works",
      "This is the default welcome page used to test the correct operation of the Apache2 server after installation on Debian systems.",
    ),
  ],
  ["Apache", plain("<h1>It works!</h1>")],
  [
    "Apache on CentOS",
    notice(
      "Apache HTTP Server Test Page powered by CentOS",
      "Testing 123..",
      "This page is used to test the proper operation of the Apache HTTP server after it has been installed.",
    ),
  ],
  [
    "Red Hat",
    notice(
      "Test Page for the HTTP Server on Red Hat Enterprise Linux",
      "Red Hat Enterprise Linux Test Page",
      "This page is used to test the proper operation of the HTTP server after it has been installed.",
    ),
  ],
  [
    "Rocky Linux",
    notice(
      "HTTP Server Test Page powered by: Rocky Linux",
      "HTTP Server Test Page",
      "This page is used to test the proper operation of an HTTP server after it has been installed on a Rocky Linux system.",
    ),
  ],
  [
    "Amazon Linux",
    notice(
      "Test Page for the Apache HTTP Server",
      "Test Page",
      "This page is used to test the proper operation of the Apache HTTP server after it has been installed.",
    ),
  ],
  [
    "IIS",
    titled(
      "IIS Windows Server",
      '<a href="http://go.microsoft.com/fwlink/?linkid=66138"><img src="iisstart.png" alt="IIS"></a>',
    ),
  ],
  [
    "older IIS",
    notice(
      "Under Construction",
      "Under Construction",
      "The site you are trying to view does not currently have a default page.",
    ),
  ],
  [
    "LiteSpeed",
    notice(
      "Congratulations",
      "Congratulations!",
      "You have successfully installed the OpenLiteSpeed Web Server!",
    ),
  ],
  [
    "Caddy",
    notice(
      "Caddy works!",
      "Congratulations!",
      "Your web server is working. Now make it work for you.",
    ),
  ],
  [
    "Tomcat",
    notice(
      "Apache Tomcat/9.0.65",
      "Apache Tomcat/9.0.65",
      "If you're seeing this, you've successfully installed Tomcat. Congratulations!",
    ),
  ],
  [
    "GlassFish",
    notice("GlassFish Server - Server Running", "GlassFish Server", "Your server is now running"),
  ],
  ["WildFly", notice("Welcome to WildFly", "Welcome to WildFly", "Your WildFly 26 is running.")],
  [
    "Plesk",
    notice(
      "Web Server's Default Page",
      "Web Server's Default Page",
      "This page is generated by Plesk, the leading hosting automation software.",
    ),
  ],
  [
    "cPanel",
    notice(
      "Default Web Site Page",
      "SORRY!",
      "If you are the owner of this website, please contact your hosting provider.",
    ),
  ],
  [
    "XAMPP",
    notice(
      "Welcome to XAMPP",
      "Welcome to XAMPP",
      "You have successfully installed XAMPP on this system!",
    ),
  ],
  [
    "ISPConfig",
    notice(
      "Welcome!",
      "Welcome to your website!",
      "This is the default index page of your website.",
    ),
  ],
  ["Vesta", titled("site.test", "Success! Your new web server is ready to use.")],
  [
    "ISPmanager",
    titled("site.test", "Welcome! Site site.test just created. Real content coming soon."),
  ],
  [
    "BaoTa",
    notice(
      "恭喜，站点创建成功！",
      "恭喜, 站点创建成功！",
      "这是默认index.html，本页面由系统自动生成",
    ),
  ],
  [
    "Azure",
    notice(
      "Microsoft Azure App Service - Welcome",
      "Your web app is running and waiting for your content",
      "",
    ),
  ],
  [
    "Wix",
    notice(
      "Looks Like This Domain Isn't Connected To A Website Yet",
      "Looks Like This Domain Isn't Connected To A Website Yet!",
      "Is this your domain? Connect it to your Wix website in just a few easy steps.",
    ),
  ],
  [
    "Heroku",
    notice(
      "Heroku | Welcome to your new app!",
      "Welcome to your new app!",
      "Refer to the documentation if you need help deploying.",
    ),
  ],
  [
    "Elastic Beanstalk",
    notice(
      "Welcome",
      "Congratulations",
      "Your first AWS Elastic Beanstalk Node.js application is now running on your own dedicated environment.",
    ),
  ],
  [
    "Django",
    notice(
      "The install worked successfully! Congratulations!",
      "The install worked successfully! Congratulations!",
      "View release notes for Django 4.2",
    ),
  ],
  [
    "Rails",
    notice("Ruby on Rails: Welcome aboard", "Welcome aboard", "You’re riding Ruby on Rails!"),
  ],
  ["GoDaddy", titled("Coming Soon", "Future home of something quite cool.")],
  ["nginx, with nothing but its name", titled("Welcome to nginx!", "<h1>Welcome to nginx!</h1>")],
  [
    "Apache, with nothing but its name",
    titled("Apache2 Debian Default Page: It works", "<h1>It works!</h1>"),
  ],
  [
    "OVH",
    notice(
      "Site under construction",
      "Congratulations!",
      "Your domain has been created with OVHcloud!",
    ),
  ],
  [
    "Apache, of an empty folder",
    notice(
      "Index of /",
      "Index of /",
      "Name Last modified Size Description cgi-bin/ 2024-01-01 10:00 - ",
    ),
  ],
  [
    "nginx, of an empty folder",
    plain('<title>Index of /</title><h1>Index of /</h1><hr><pre><a href="../">../</a></pre>'),
  ],
];

describe("a home page is a placeholder when it is the default page of", () => {
  test.each(DEFAULT_PAGES)("%s", async (_, html) => {
    expect(await verdictOn({ url: HOME, html })).toBe(PLACEHOLDER);
  });
});

const DEFAULT_TITLES = [...new Set(DEFAULT_PAGES.map(([, html]) => titleOf(html)))];

describe("a site that is there is no placeholder", () => {
  test.each(DEFAULT_PAGES)("though it quotes the default page of %s", async (_, html) => {
    const quoting = page("How to set it up", `<p>Then you see:</p>${html}${prose(40)}`);

    expect(await verdictOn({ url: HOME, html: quoting })).toBe("active ok");
  });

  test.each(DEFAULT_TITLES)("though it has the title of a default page: %s", async (title) => {
    expect(await verdictOn({ url: HOME, html: titled(title, prose(40)) })).toBe("active ok");
  });
});

describe("a default page further down", () => {
  testRows([
    ["makes us ask for a random address", { html: NGINX }, "wants sibling"],
    [
      "makes us ask for the home page when a random address shows it, too",
      { html: NGINX, facts: { sibling: { html: NGINX }, home: undefined } },
      "wants home",
    ],
    [
      "stands for what is missing when the home page is another",
      {
        html: NGINX,
        facts: { sibling: { html: NGINX }, home: { at: HOME, html: article("Home") } },
      },
      "dead soft404_probe C2",
    ],
    [
      "is a placeholder when the home page shows it, too",
      { html: NGINX, facts: { sibling: { html: NGINX }, home: { at: HOME, html: NGINX } } },
      PLACEHOLDER,
    ],
    [
      "is a placeholder when other addresses are missing",
      { html: NGINX, facts: { sibling: MISSING } },
      PLACEHOLDER,
    ],
    [
      "is a placeholder when other addresses cannot be asked",
      { html: NGINX, facts: { sibling: "conn_timeout" } },
      PLACEHOLDER,
    ],
    [
      "is cPanel's when the link leads to its address",
      {
        url: HOME,
        from: [HOME],
        at: "http://site.test/cgi-sys/defaultwebpage.cgi",
        html: notice("site.test"),
      },
      PLACEHOLDER,
    ],
  ]);
});

describe("whoever writes about servers has a site:", () => {
  testRows([
    [
      "instructions that quote nginx's page",
      {
        html: page(
          "How to install nginx on Debian",
          `<h1>How to install nginx: Welcome to nginx!</h1><p>You should see: Welcome to nginx! If you see this page, the nginx web server is successfully installed and working.</p>${prose(60)}`,
        ),
      },
      "active ok",
    ],
    [
      "a short note under nginx's name",
      { html: "<title>Welcome to nginx!</title><h1>Notes</h1><p>On how I run it.</p>" },
      "active ok",
    ],
    [
      "documentation under nginx's title",
      { html: notice("Welcome to nginx!", "nginx", "The documentation of the nginx wiki.") },
      "active ok",
    ],
    [
      "a long page under nginx's title, with its words",
      { html: NGINX.replace("</body>", `${prose(1200)}</body>`) },
      "active ok",
    ],
    [
      "Tomcat's own site",
      { url: "http://tomcat.test/", html: page("Apache Tomcat® - Welcome!", prose(80)) },
      "active ok",
    ],
    ["an institute called IIS", { url: HOME, html: page("IIS", prose(40)) }, "active ok"],
    [
      "a page that says that it works",
      { html: notice("It works!", "It works!", "Our method, explained.") },
      "active ok",
    ],
    [
      "a page that says no more",
      { url: HOME, html: titled("Our engine", "It works!") },
      "active ok",
    ],
    [
      "a test page of a printer",
      {
        html: notice(
          "Test Page",
          "Test Page",
          "Print this page to test the proper operation of your printer.",
        ),
      },
      "active ok",
    ],
    [
      "a site under construction by its owner",
      { html: notice("Under construction", "We are building", "Come back in May.") },
      "active ok",
    ],
    [
      "a folder with files in it",
      {
        url: "http://files.test/",
        html: plain(
          '<title>Index of /</title><h1>Index of /</h1><pre><a href="../">../</a> <a href="linux-6.1.tar.xz">linux-6.1.tar.xz</a> 01-Jan-2024 10:00 134M</pre>',
        ),
      },
      "active ok",
    ],
    [
      "a folder further down, even an empty one",
      {
        url: "http://files.test/pub/",
        html: plain(
          '<title>Index of /pub/</title><h1>Index of /pub/</h1><pre><a href="../">../</a></pre>',
        ),
      },
      "active ok",
    ],
    [
      "a host's news about Plesk",
      {
        html: notice("Default pages", "Default pages", "This page is generated by Plesk, it said."),
      },
      "active ok",
    ],
  ]);
});

describe("a site fails with a success when its page is", () => {
  testRows([
    [
      "an error of PHP that nobody caught",
      {
        html: "<b>Fatal error</b>: Uncaught Error: Call to undefined function foo() in /var/www/a.php:3",
      },
      SITE_ERROR,
    ],
    [
      "WordPress without a database",
      { html: notice("Database Error", "Error establishing a database connection") },
      SITE_ERROR,
    ],
    [
      "the same in German",
      { html: notice("Datenbank-Fehler", "Fehler beim Aufbau einer Datenbankverbindung") },
      SITE_ERROR,
    ],
    [
      "WordPress with a broken plugin",
      {
        html: titled(
          "WordPress › Error",
          "There has been a critical error on this website. Learn more.",
        ),
      },
      SITE_ERROR,
    ],
    [
      "Drupal's excuse",
      { html: plain("The website encountered an unexpected error. Please try again later.") },
      SITE_ERROR,
    ],
    [
      "a database's refusal",
      { html: plain("SQLSTATE[HY000] [2002] Connection refused") },
      SITE_ERROR,
    ],
    ["Oracle's", { html: plain("ORA-12541: TNS:no listener") }, SITE_ERROR],
    [
      "MySQL's",
      { html: plain("Could not connect to MySQL server: Too many connections") },
      SITE_ERROR,
    ],
    [
      "PHP's fatal error",
      {
        html: plain(
          "<b>Fatal error</b>: Uncaught Error: Call to undefined function foo() in /var/www/index.php:3 Stack trace: #0 {main} thrown in <b>/var/www/index.php</b> on line <b>3</b>",
        ),
      },
      SITE_ERROR,
    ],
    [
      "a page that PHP broke off",
      {
        html: plain(
          "<h1>News</h1><p>Home News About</p><b>Parse error</b>: syntax error, unexpected '}' in <b>/home/x/story.php</b> on line <b>12</b>",
        ),
      },
      SITE_ERROR,
    ],
    [
      "Python's trace",
      {
        html: plain(
          '<pre>Traceback (most recent call last): File "app.py", line 3, in main KeyError</pre>',
        ),
      },
      SITE_ERROR,
    ],
    [
      "Java's trace",
      { html: plain("java.lang.NullPointerException at com.example.Page.show(Page.java:12)") },
      SITE_ERROR,
    ],
    [
      "Node's trace",
      { html: plain("TypeError: Cannot read properties of undefined at show (/srv/app.js:12:5)") },
      SITE_ERROR,
    ],
    [
      "ASP.NET's yellow page",
      {
        html: notice(
          "Runtime Error",
          "Server Error in '/' Application.",
          "Runtime Error. An application error occurred.",
        ),
      },
      SITE_ERROR,
    ],
    [
      "Django's page for programmers",
      {
        html: notice(
          "OperationalError at /articles/",
          "OperationalError at /articles/",
          "Request Method: GET Django Version: 4.2",
        ),
      },
      SITE_ERROR,
    ],
    ["Laravel's", { html: notice("Whoops, looks like something went wrong.") }, SITE_ERROR],
    [
      "Spring's",
      { html: notice("", "Whitelabel Error Page", "This application has no explicit mapping.") },
      SITE_ERROR,
    ],
    ["Rails's", { html: notice("We're sorry, but something went wrong (500)") }, SITE_ERROR],
    [
      "a server's error page",
      { html: notice("500 Internal Server Error", "Internal Server Error") },
      SITE_ERROR,
    ],
    [
      "that asks to try again",
      { html: notice("Something went wrong", "Something went wrong. Please try again later.") },
      "unknown soft404_suspected",
    ],
    [
      "that failed in an unexpected way",
      { html: notice("An unexpected error occurred", "Oops! We are working on it.") },
      "unknown soft404_suspected",
    ],
    ["a gateway's", { html: notice("502 Bad Gateway", "502 Bad Gateway", "nginx") }, SITE_ERROR],
    [
      "a host's notice of too many visitors, which is no suspension",
      {
        html: notice(
          "509 Bandwidth Limit Exceeded",
          "Bandwidth Limit Exceeded",
          "The server is temporarily unable to service your request. Please try again later.",
        ),
      },
      SITE_ERROR,
    ],
    [
      "a host's notice of too much work",
      { html: notice("508 Resource Limit Is Reached", "Resource Limit Is Reached") },
      SITE_ERROR,
    ],
  ]);
});

describe("whoever writes about failures has a site that works:", () => {
  testRows([
    [
      "advice on WordPress",
      { html: notice("Help", "Error establishing a database connection: what to do", prose(50)) },
      "active ok",
    ],
    [
      "an article under the very words",
      { html: article("Error establishing a database connection", 80) },
      "active ok",
    ],
    [
      "documentation with a stack trace",
      {
        html: page(
          "Reading a stack trace",
          `<pre>Traceback (most recent call last): File "app.py", line 3</pre>${prose(60)}`,
        ),
      },
      "active ok",
    ],
    [
      "a question with PHP's message in it",
      {
        html: page(
          "What does this mean?",
          `<p>I get: Fatal error: Uncaught Error in /var/www/index.php on line 3</p>${prose(40)}`,
        ),
      },
      "active ok",
    ],
    [
      "a song of that name",
      {
        html: page("Something went wrong | Bandhouse", `<h1>Something went wrong</h1>${prose(40)}`),
      },
      "active ok",
    ],
    [
      "the documentation of exceptions",
      { html: article("Internal Server Error", 40) },
      "active ok",
    ],
    [
      "a long page under an error's title",
      { html: page("500 Internal Server Error", `<h1>What a 500 means</h1>${prose(300)}`) },
      "active ok",
    ],
    ["a page about another page", { html: titled("Look at /r/aww", prose(40)) }, "active ok"],
    ["a race", { html: notice("500", "The 500 miles of Indianapolis", "Results") }, "active ok"],
    [
      "a page with a warning of PHP's above it",
      {
        html: plain(`<b>Warning</b>: Undefined variable in /var/www/a.php on line 3 ${prose(60)}`),
      },
      "active ok",
    ],
    [
      "a shop that is out of bandwidth meters",
      { html: notice("Bandwidth", "How bandwidth limits work", "An introduction.") },
      "active ok",
    ],
    ["an album", { html: notice("Whoops!", "Whoops!", "Their second album.") }, "active ok"],
    ["a failure with its own status", { status: 500, html: NGINX }, "unknown http_500"],
  ]);
});

describe("the evidence names the rule of", () => {
  test.each<[string, Case, string[]]>([
    ["a suspension", { html: CPANEL }, ["suspended_notice"]],
    [
      "a redirect to a suspension",
      { from: [LINK], at: "http://site.test/cgi-sys/suspendedpage.cgi", html: CPANEL },
      ["suspended_path"],
    ],
    ["a default page", { url: HOME, html: NGINX }, ["default_page"]],
    [
      "a default page everywhere",
      { html: NGINX, facts: { sibling: { html: NGINX }, home: MISSING } },
      ["default_page", "same_everywhere", "control_differs"],
    ],
    [
      "a lost database",
      { html: plain("Error establishing a database connection") },
      ["database_error"],
    ],
    [
      "a program's failure",
      { html: plain("Traceback (most recent call last): x") },
      ["program_error"],
    ],
  ])("%s", async (_, given, rules) => {
    expect(await rulesOn(given)).toEqual(rules);
  });
});
